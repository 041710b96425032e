"""What results have in common: tables, figures, files, and how a notebook shows them."""
