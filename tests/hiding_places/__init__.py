"""Every place where documents hide data: one document per place, and looks at what became of it."""
