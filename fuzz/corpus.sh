#!/bin/sh
# Copies the small fixtures as starting points: fuzz/corpus.sh TARGET...
set -eu
cd "$(dirname "$0")/.."
for target in "$@"; do
    mkdir -p "fuzz/corpus/$target"
    find fixtures -type f \( -name '*.yaml' -o -name '*.yml' -o -name '*.json' \) -size -8k |
        while read -r file; do
            cp "$file" "fuzz/corpus/$target/$(echo "$file" | tr '/ ' '__')"
        done
done
