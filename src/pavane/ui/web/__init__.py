"""The web page: choose a network and a collective, watch the search, play the result.

`app` is the HTTP interface, `jobs` runs searches in processes of their own, `store` writes finished results to a file,
`requests` turns a request into a problem, within the limits of `limits`, `results` serves what was found.
"""
