"""Formats that others write, one file each: networks, and the schedules of SCCL and MSCCL."""
