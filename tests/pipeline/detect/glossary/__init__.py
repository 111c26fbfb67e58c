"""Glossary terms and the allow-list."""
