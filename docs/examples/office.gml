graph [
  directed 0
  node [ id 1 label "hub" processors 0 ]
  node [ id 2 label "a" ]
  node [ id 3 label "b" ]
  edge [ source 1 target 2 bandwidth 10 ]
  edge [ source 1 target 3 bandwidth 40 ]
]
