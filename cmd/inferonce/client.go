package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"inferonce/contracts"
)

// The defaults of a router on this machine, as inferonce dev starts it.
const (
	defaultURL = "http://127.0.0.1:8787"
	devKey     = "dev"
)

// The environment that client commands read.
const (
	envURL = "INFERONCE_URL"
	envKey = "INFERONCE_KEY"
)

// client calls the API of one router. It follows no redirect, so that the key
// goes nowhere else, and repeats nothing by itself.
type client struct {
	base string // without a slash at the end
	key  string
	http *http.Client
}

// addClientFlags gives cmd and all below it the flags that newClient reads.
func addClientFlags(cmd *cobra.Command) {
	cmd.PersistentFlags().String("url", "", "address of the router; default $"+envURL+", or "+defaultURL)
	cmd.PersistentFlags().String("key-file", "", "file with the API key; default $"+envKey+", or the key dev on this machine")
}

// newClient makes the client that the flags and the environment ask for.
func newClient(cmd *cobra.Command, env lookup) (*client, error) {
	base, err := baseURL(cmd, env)
	if err != nil {
		return nil, err
	}
	key, err := apiKey(cmd, env, base)
	if err != nil {
		return nil, err
	}
	if base.Scheme == "http" && !loopback(base.Hostname()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s is not encrypted; the API key can be read on the way\n", base.Host)
	}
	return &client{strings.TrimRight(base.String(), "/"), key, &http.Client{CheckRedirect: stay}}, nil
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func baseURL(cmd *cobra.Command, env lookup) (*url.URL, error) {
	text, _ := cmd.Flags().GetString("url")
	from := "--url"
	if text == "" {
		text, _ = env(envURL)
		from = envURL
	}
	u, err := url.Parse(cmp.Or(text, defaultURL))
	// The text may hold a password, so no error repeats it.
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, exitf(exitUsage, "%s is no address; write something like %s", from, defaultURL)
	case u.User != nil:
		return nil, exitf(exitUsage, "%s holds a user or password; give the API key with %s or --key-file", from, envKey)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, exitf(exitUsage, "%s has a query or fragment; write the address only, such as %s", from, defaultURL)
	}
	return u, nil
}

// apiKey finds the key: the flag, the environment, or, where nothing is set
// and the router is on this machine, the one of inferonce dev.
func apiKey(cmd *cobra.Command, env lookup, base *url.URL) (string, error) {
	if path, _ := cmd.Flags().GetString("key-file"); path != "" {
		return readKeyFile("--key-file", path)
	}
	if key, _ := env(envKey); key != "" {
		return checkKey(envKey, key)
	}
	if loopback(base.Hostname()) {
		return devKey, nil
	}
	return "", exitf(exitUsage, "no API key for %s: set %s, or give --key-file", base.Host, envKey)
}

// maxKeyFile is far more than any key has, in bytes.
const maxKeyFile = 4 << 10

// readKeyFile reads a file that holds one key and perhaps white space.
func readKeyFile(flag, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", exitf(exitUsage, "%s: %w", flag, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return "", exitf(exitUsage, "%s: %w", flag, err)
	}
	if len(b) > maxKeyFile {
		return "", exitf(exitUsage, "%s: %s is too large for a key; name the file that holds it alone", flag, path)
	}
	return checkKey(flag, strings.TrimSpace(string(b)))
}

// checkKey refuses what can't be sent as a key, without showing it.
func checkKey(from, key string) (string, error) {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }) {
		return "", exitf(exitUsage, "%s holds no key: a key is visible ASCII without spaces, as inferonce keys new prints it", from)
	}
	return key, nil
}

// checkIntentKey refuses an idempotency key that the API would not take.
func checkIntentKey(key string) error {
	if _, err := contracts.CheckIdempotencyKey([]string{key}); err != nil {
		return exitf(exitUsage, "--key: %w", err)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
