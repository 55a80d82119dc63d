#!/bin/sh
# Installs node-llama-cpp, about 83 MB, beside the server. Exact versions, the
# prebuilt library of this machine alone, no install script run, nothing
# compiled. Done already: nothing happens, and no network is needed.
set -eu
cd "$(dirname "$0")"

fail() { echo "make model: $*" >&2; exit 1; }

command -v node >/dev/null || fail 'node is missing; install Node.js 20 or newer (https://nodejs.org)'
command -v npm >/dev/null || fail 'npm is missing; it comes with Node.js 20 or newer (https://nodejs.org)'
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || fail "node $(node -v) is too old; install Node.js 20 or newer"

version=$(node -p 'require("./package.json").dependencies["node-llama-cpp"]')
case $(node -p 'process.platform + "-" + process.arch') in
linux-x64) library=linux-x64 ;;
linux-arm64) library=linux-arm64 ;;
darwin-arm64) library=mac-arm64-metal ;;
darwin-x64) library=mac-x64 ;;
*) fail 'llama.cpp comes ready for Linux and macOS on x64 and arm64; this is another machine' ;;
esac

done=node_modules/.installed-$version-$library
[ -f "$done" ] && exit 0
npm install --no-save --no-package-lock --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error \
	"@node-llama-cpp/$library@$version" || fail 'npm could not install node-llama-cpp; is its registry within reach (npm ping)?'
touch "$done"
