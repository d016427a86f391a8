(* open Comment *)
let text = "open Raw"
let value = 1
