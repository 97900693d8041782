"""The atlas: a file with the best that is known of each problem, which is judged again whenever it is read."""
