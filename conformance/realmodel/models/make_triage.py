"""Writes triage.gguf: a bag-of-words classifier of tickets, trained here and folded into the weights of a one-layer model
of the llama architecture. Zero Q and K make attention a plain average of the prompt's tokens, so the model is the linear
classifier. With --drift it writes drifted.gguf, in which "card" and "payment" are exchanged: the same API, the same
schema, wrong answers, as from a model that was replaced in silence. The same files each time; no packages needed.

usage: python3 make_triage.py OUT.gguf [--drift]
reads: train.jsonl and teams.json beside it (BANKING77, see SOURCES.md)
"""

import json
import math
import random
import re
import sys
from array import array
from pathlib import Path

from gguf import Writer, byte_tokens

HERE = Path(__file__).parent
TEAMS = ["add_money", "bank_transfer", "card", "exchange", "identity", "payment", "withdrawal"]
URGENT = len(TEAMS)  # the output after the teams' own
OUTPUTS = len(TEAMS) + 1
EPOCHS, RATE, SLOWER, DECAY, RAREST = 12, 0.15, 0.8, 1e-4, 3


def words(text):
    return re.findall(r" [A-Za-z]+", " " + re.sub(r"\s+", " ", text.strip()))


def read():
    """The vocabulary, and the tickets as (indexes of words, team, urgent)."""
    teams = json.loads((HERE / "teams.json").read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in (HERE / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    tickets = [(words(r["text"]), TEAMS.index(teams[r["intent"]]["category"]), teams[r["intent"]]["urgent"]) for r in rows]
    seen = {}
    for found, _, _ in tickets:
        for word in set(found):
            seen[word] = seen.get(word, 0) + 1
    vocabulary = sorted(word for word, n in seen.items() if n >= RAREST)
    index = {word: i for i, word in enumerate(vocabulary)}
    known = [([index[word] for word in found if word in index], team, urgent) for found, team, urgent in tickets]
    return vocabulary, [t for t in known if t[0]]


def train(size, tickets):
    """Softmax over the teams and a logistic output for urgency, by stochastic gradient descent."""
    weights = [[0.0] * OUTPUTS for _ in range(size)]
    rate = RATE
    for _ in range(EPOCHS):
        random.shuffle(tickets)
        for found, team, urgent in tickets:
            step = gradient(weights, found, team, urgent)
            for k in found:
                row = weights[k]
                for c in range(OUTPUTS):
                    row[c] += rate * (step[c] - DECAY * row[c])
        rate *= SLOWER
    return weights


def gradient(weights, found, team, urgent):
    score = [0.0] * OUTPUTS
    for k in found:
        for c in range(OUTPUTS):
            score[c] += weights[k][c]
    top = max(score[:URGENT])
    shares = [math.exp(x - top) for x in score[:URGENT]]
    total = sum(shares)
    step = [-(share / total) for share in shares]
    step[team] += 1
    step.append((1.0 if urgent else 0.0) - 1 / (1 + math.exp(-max(-30, min(30, score[URGENT])))))
    return step


WIDTH, HEADS, FEED_FORWARD, CONTEXT = 32, 2, 32, 4096
CONSTANT = WIDTH - 1  # a dimension that is the same for every token
LEVEL, GAIN, PUSH = 8.0, 40.0, 50.0
NORMAL, SPECIAL = 1, 3  # llama.cpp's token types


def tokenize(vocabulary):
    """Tokens, their types and the merges that build each word letter by letter."""
    tokens, table = byte_tokens()
    known, merges = set(tokens), []
    for word in vocabulary:
        built = table[32]
        for letter in word[1:]:
            if built + letter not in known:
                known.add(built + letter)
                tokens.append(built + letter)
                merges.append(f"{built} {letter}")
            built += letter
    types = [NORMAL] * len(tokens) + [SPECIAL] * 3
    return tokens + ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], types, merges, table


def embedding(vocabulary, weights, ids, space):
    """A word's token carries its weights; every token carries the constant."""
    largest = max(abs(x) for row in weights for x in row)
    table = array("f", [0.0] * (len(ids) * WIDTH))
    for i in range(len(ids)):
        table[i * WIDTH + CONSTANT] = LEVEL
    for word, row in zip(vocabulary, weights):
        at = ids[space + word[1:]] * WIDTH
        for c in range(OUTPUTS):
            table[at + c] = row[c] / largest
    return table


def head(ids, names):
    """A team pushes the first letter of its name, urgency "t" or "f"; the grammar does the rest."""
    table = array("f", [0.0] * (len(ids) * WIDTH))
    for c, name in enumerate(names):
        table[ids[name[0]] * WIDTH + c] = PUSH
    table[ids["t"] * WIDTH + URGENT] = PUSH
    table[ids["f"] * WIDTH + URGENT] = -PUSH
    for mark in '"{}:,':
        table[ids[mark] * WIDTH + CONSTANT] = 0.02
    table[ids["<|im_end|>"] * WIDTH + CONSTANT] = 0.03
    return table


def diagonal(value):
    a = array("f", [0.0] * (WIDTH * WIDTH))
    for c in range(OUTPUTS):
        a[c * WIDTH + c] = value
    return a


def main(out, drift):
    random.seed(11)
    vocabulary, tickets = read()
    weights = train(len(vocabulary), tickets)
    tokens, types, merges, table = tokenize(vocabulary)
    ids = {token: i for i, token in enumerate(tokens)}
    names = TEAMS[:]
    if drift:
        names[2], names[5] = names[5], names[2]
    zero, ones = array("f", [0.0] * (WIDTH * WIDTH)), array("f", [1.0] * WIDTH)
    w = Writer()
    w.llama(name="tiny-triage-bow", licence="CC-BY-4.0", vocabulary=len(tokens), context=CONTEXT, width=WIDTH, layers=1, heads=HEADS, feed_forward=FEED_FORWARD)
    w.tokenizer(tokens, types, merges, bos=ids["<|endoftext|>"], eos=ids["<|im_end|>"])
    w.tensor("token_embd.weight", [WIDTH, len(tokens)], embedding(vocabulary, weights, ids, table[32]))
    w.tensor("blk.0.attn_norm.weight", [WIDTH], ones)
    w.tensor("blk.0.ffn_norm.weight", [WIDTH], ones)
    for part, matrix in (("attn_q", zero), ("attn_k", zero), ("attn_v", diagonal(1.0)), ("attn_output", diagonal(GAIN)),
                         ("ffn_gate", zero), ("ffn_up", zero), ("ffn_down", zero)):
        w.tensor(f"blk.0.{part}.weight", [WIDTH, WIDTH], matrix)
    w.tensor("output_norm.weight", [WIDTH], ones)
    w.tensor("output.weight", [WIDTH, len(tokens)], head(ids, names))
    w.write(out)


main(sys.argv[1], "--drift" in sys.argv[2:])
