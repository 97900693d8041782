"""The web page: choose a network and a collective, watch the search, play the result.

`app` is the HTTP interface, `jobs` runs searches in processes of their own, `store` keeps finished results in a file,
`asked_for` turns a request into a problem, within the limits of `limits`.
"""
