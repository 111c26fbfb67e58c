"""How many workers a load needs: stage costs measured on a running system, and a simulation that starts from them."""
