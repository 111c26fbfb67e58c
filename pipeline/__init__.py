"""Pure work on text and documents: no database, queue, network, web framework, settings or clock."""
