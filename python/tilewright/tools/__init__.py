"""What stands beside kernels on the host."""
