"""The web page for one user of this machine: choose a network and a collective, watch the search, play the result.

`app` is the HTTP interface, `access` refuses requests of other machines and pages, `searches` starts the search in a
process of its own (`search`), `requests` turns a request into a problem, and `renderings` draws, judges and exports.
"""
