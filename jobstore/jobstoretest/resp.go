package jobstoretest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// readValue reads one RESP2 or RESP3 value and gives its bytes as they came.
func readValue(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < 3 {
		return nil, fmt.Errorf("RESP line %q", line)
	}
	switch line[0] {
	case '$', '=', '!':
		return readBulk(r, line)
	case '*', '~', '>':
		return readParts(r, line, 1, 0)
	case '%':
		return readParts(r, line, 2, 0)
	case '|': // attributes stand before the value they belong to
		return readParts(r, line, 2, 1)
	}
	return line, nil
}

func readBulk(r *bufio.Reader, line []byte) ([]byte, error) {
	n, err := length(line)
	if err != nil || n < 0 {
		return line, err
	}
	body := make([]byte, n+2)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	return append(line, body...), nil
}

func readParts(r *bufio.Reader, line []byte, each, more int) ([]byte, error) {
	n, err := length(line)
	if err != nil {
		return nil, err
	}
	for range n*each + more {
		part, err := readValue(r)
		if err != nil {
			return nil, err
		}
		line = append(line, part...)
	}
	return line, nil
}

func length(line []byte) (int, error) {
	return strconv.Atoi(string(bytes.TrimRight(line[1:], "\r\n")))
}

// splitCommand takes the first whole command off b: its arguments and how many
// bytes it takes; 0 if b holds no whole command yet.
func splitCommand(b []byte) (args []string, n int) {
	r := bufio.NewReaderSize(bytes.NewReader(b), 64)
	raw, err := readValue(r)
	if err != nil {
		return nil, 0
	}
	return parseCommand(raw), len(raw)
}

func parseCommand(raw []byte) []string {
	r := bufio.NewReader(bytes.NewReader(raw))
	head, _ := r.ReadBytes('\n')
	n, err := length(head)
	if err != nil || head[0] != '*' {
		return nil
	}
	args := make([]string, 0, n)
	for range n {
		size, _ := r.ReadBytes('\n')
		k, _ := length(size)
		arg := make([]byte, k+2)
		_, _ = io.ReadFull(r, arg)
		args = append(args, string(arg[:k]))
	}
	return args
}

// command is the wire form of a call.
func command(args ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b.Bytes()
}
