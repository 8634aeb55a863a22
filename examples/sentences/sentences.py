"""Text to numbers of words, and embeddings to a ranking.

    sentences.py tokenize MODEL TEXT.txt OUT.npz
    sentences.py rank TEXT.txt EMBEDDINGS.npz [--query NUMBER]

MODEL is a folder with a tokenizer.json, TEXT.txt has a sentence per line.
OUT.npz is a graph file for gnn-run: the words of all sentences one after the
other, and in `batch` the sentence that each belongs to.
"""

import argparse
import json
import pathlib
import sys

import numpy as np


def read_sentences(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    sentences = [line.strip() for line in lines if line.strip()]
    if not sentences:
        sys.exit(f"{path}: there is no sentence")
    return sentences


def tokenize(arguments):
    import tokenizers

    model = pathlib.Path(arguments.model)
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    settings = model / "sentence_bert_config.json"
    if settings.exists():
        tokenizer.enable_truncation(
            json.loads(settings.read_text())["max_seq_length"])
    encoded = tokenizer.encode_batch(read_sentences(arguments.text))
    lengths = [len(e.ids) for e in encoded]
    np.savez(arguments.out,
             input_ids=np.concatenate([e.ids for e in encoded]).astype("int64"),
             token_type_ids=np.concatenate([e.type_ids for e in encoded]
                                           ).astype("int64"),
             batch=np.repeat(np.arange(len(encoded)), lengths))
    print(f"{len(encoded)} sentences of {min(lengths)} to {max(lengths)} "
          f"tokens, {sum(lengths)} in all")


def rank(arguments):
    sentences = read_sentences(arguments.text)
    # Of length 1, so products are cosines.
    rows = np.load(arguments.embeddings)["sentence_embedding"]
    cosines = rows @ rows.T
    if arguments.query is not None:
        if not 1 <= arguments.query <= len(sentences):
            sys.exit(f"--query must be from 1 to {len(sentences)}, got "
                     f"{arguments.query}")
        query = arguments.query - 1
        print(sentences[query])
        for other in np.argsort(-cosines[query], kind="stable"):
            if other != query:
                print(f"  {cosines[query, other]:6.3f}  {sentences[other]}")
        return
    pairs = [(cosines[i, j], i, j) for i in range(len(rows))
             for j in range(i + 1, len(rows))]
    for cosine, i, j in sorted(pairs, key=lambda p: (-p[0], p[1:]))[:5]:
        print(f"{cosine:6.3f}  {sentences[i]}\n        {sentences[j]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("tokenize")
    command.add_argument("model")
    command.add_argument("text")
    command.add_argument("out")
    command.set_defaults(run=tokenize)
    command = commands.add_parser("rank")
    command.add_argument("text")
    command.add_argument("embeddings")
    command.add_argument("--query", type=int)
    command.set_defaults(run=rank)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
