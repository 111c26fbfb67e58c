"""Who calls, how often they may, and how they log in."""
