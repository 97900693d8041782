"""The web page: choose a network and a collective, watch the search, play the result.

`app` is the HTTP interface, `jobs` runs searches in processes of their own, `store` keeps finished results in a file,
`requests` turns what is asked for into a problem, within the limits of `limits`, `results` hands out what was found.
"""
