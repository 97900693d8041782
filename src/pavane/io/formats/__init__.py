"""One file per foreign format, with its reader, its writer or both, and the parts that several share."""
