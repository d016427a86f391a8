// import "comment"
package lib

/* func main() {}
import "block" */
var text = `
import "raw"
func main() {}
`
