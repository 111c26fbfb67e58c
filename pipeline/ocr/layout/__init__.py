"""What words and lines are to each other on a page: rows, columns, tables, numbers in cells of a form."""
