// Reads texts as Kubernetes does, by sigs.k8s.io/yaml: a JSON string a line in, a line out for each: `ok` and the JSON,
// or `error` and why; `strict` behind it where strict decoding refuses what this one takes.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

func read(text string) (line string) {
	defer func() {
		if fault := recover(); fault != nil {
			line = fmt.Sprint("error\tpanic ", fault)
		}
	}()
	made, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return "error\t" + strings.Join(strings.Fields(err.Error()), " ")
	}
	line = "ok\t" + string(made)
	if _, err := yaml.YAMLToJSONStrict([]byte(text)); err != nil {
		line += "\tstrict"
	}
	return line
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, read(text))
	}
}
