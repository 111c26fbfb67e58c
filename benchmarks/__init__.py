"""Speed and memory: each module is one command and prints ratios against a peer or a floor of the same run."""
