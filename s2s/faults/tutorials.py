"""Mistakes in the code of tutorials, a row each: what they look like, and the cure."""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """`fault` names the row of FAULTS that makes it; empty where it cannot be made here."""

    title: str
    symptom: str
    cure: str
    fault: str = ""


MISTAKES = (
    Mistake(
        "Labels not shifted",
        "The loss falls to 0.0001, and every output is empty.",
        "Give the decoder `target[:, :-1]`, and compare its logits with `target[:, 1:]`. That the loss does the"
        " shifting is false: cross-entropy compares position by position.",
        "unshifted-labels",
    ),
    Mistake(
        "The source ends in `</s>` in training only",
        "Translations repeat their last words, or lose some.",
        "Make the ids of a source in one function, which training and translation both call.",
        "no-source-end",
    ),
    Mistake(
        "A mask that `encode` takes and ignores",
        "The code looks right, and yet a sentence has another translation in a batch with longer ones.",
        "Hand the mask to every attention. Test that padding changes no logit of the other tokens.",
        "no-padding-mask",
    ),
    Mistake(
        "No padding mask",
        "Sentences of one length are fine; in mixed batches attention goes to `<pad>`.",
        "Mask keys that are padding, in the encoder and in cross-attention.",
        "no-padding-mask",
    ),
    Mistake(
        "Keys reshaped with the length of the queries",
        "Nothing while both sides are equally long; else an error, or rows of different sentences are mixed.",
        "Read the length of keys and values from themselves. Test cross-attention with 10 source and 8 target tokens.",
    ),
    Mistake(
        "Positions sliced along the wrong axis",
        "All words of a sentence have the same position, and each sentence of a batch another one: order is lost.",
        "With the batch first, take rows by time: `positions[: x.size(1)]`. Test that a sentence has the same logits in"
        " every row of a batch.",
    ),
    Mistake(
        "An unknown character becomes character 0",
        "A letter that training never saw is read as another one, often a space or a line break, and nothing says so.",
        "Give unknown characters an id that no character has, or refuse the text and name the character.",
    ),
    Mistake(
        "A start id that is a real character",
        "Outputs begin as if that character had been written: their first letters are wrong or missing.",
        "Give the start an id that no text contains, as `<s>` has.",
    ),
)
