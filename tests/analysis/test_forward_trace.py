"""What is shown of a sentence is what the model computed: parts compose to the whole, in every preset."""

from types import MappingProxyType

import numpy as np
import pytest
import torch
from torch import Tensor

import s2s
from s2s.analysis.forward_trace import AttentionTrace, ForwardTrace, trace_forward
from s2s.model.transformer import Transformer
from tests.model.conftest import DISTINCT, build, shrunk

SRC = (5, 9, 4, 12, 7, 2)
TGT = (1, 7, 8, 15, 4)
CLOSE = MappingProxyType({"rtol": 1e-4, "atol": 1e-5})


def model_of(name: str) -> Transformer:
    return build(shrunk(name))


def logits(model: Transformer, src: tuple[int, ...] = SRC) -> np.ndarray:
    with torch.no_grad():
        return model(torch.tensor([src]), torch.tensor([TGT]))[0].numpy()


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def linear(x: np.ndarray, module: torch.nn.Module) -> np.ndarray:
    """x W + b by hand; nothing changes where a model has no such matrix."""
    if not isinstance(module, torch.nn.Linear):
        return x
    bias = 0 if module.bias is None else module.bias.detach().numpy()
    return x @ module.weight.detach().numpy().T + bias


@pytest.mark.parametrize("name", DISTINCT)
def test_the_layers_connect_the_embeddings_to_the_models_logits(name: str) -> None:
    model = model_of(name)
    trace = [trace_forward(model, SRC, TGT, layer) for layer in range(2)]
    n_encoder = len(model.encoder.layers)
    n_decoder = len(model.decoder.layers)
    first = trace[0]
    last = trace[-1]
    np.testing.assert_array_equal(first.encoder.self_residual.before, first.src.out)
    np.testing.assert_array_equal(first.decoder.self_residual.before, first.tgt.out)
    for n_layers, stack in ((n_encoder, "encoder"), (n_decoder, "decoder")):
        if n_layers > 1:
            before, after = (getattr(each, stack) for each in trace)
            np.testing.assert_allclose(after.self_residual.before, before.out, **CLOSE)
    np.testing.assert_array_equal(last.encoder.out, last.encoder_stream)
    np.testing.assert_array_equal(last.decoder.out, last.decoder_stream)
    np.testing.assert_allclose(
        last.logits, linear(last.decoder_states * model.logit_scale, model.output), **CLOSE
    )
    np.testing.assert_allclose(last.logits, logits(model), **CLOSE)


@pytest.mark.parametrize("name", DISTINCT)
def test_scores_mask_and_values_compose_to_each_attentions_output(name: str) -> None:
    model = model_of(name)
    trace = trace_forward(model, SRC, TGT, 0)
    reads = model.encoder.layers[0]
    writes = model.decoder.layers[0]
    for attention, module, sides in (
        (
            trace.encoder.self_attention,
            reads.self_attention,
            (trace.encoder.self_residual.sublayer_input,) * 2,
        ),
        (
            trace.decoder.self_attention,
            writes.self_attention,
            (trace.decoder.self_residual.sublayer_input,) * 2,
        ),
        (
            trace.decoder.cross_attention,
            writes.cross_attention,
            (trace.decoder.cross_residual.sublayer_input, trace.memory),
        ),
    ):
        check_attention(attention, module, sides)
    causal = np.tril(np.ones((len(TGT), len(TGT)), bool))
    np.testing.assert_array_equal(trace.decoder.self_attention.mask, causal)
    assert trace.encoder.self_attention.mask.all()
    assert trace.decoder.cross_attention.bias is None


def check_attention(
    trace: AttentionTrace, module: torch.nn.Module, sides: tuple[np.ndarray, np.ndarray]
) -> None:
    asks, answers = sides

    def split(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), trace.queries.shape[0], -1).transpose(1, 0, 2)

    np.testing.assert_allclose(trace.unrotated_queries, split(linear(asks, module.query)), **CLOSE)
    np.testing.assert_allclose(trace.values, split(linear(answers, module.value)), **CLOSE)
    np.testing.assert_allclose(
        trace.dot_products, np.einsum("hqd,hkd->hqk", trace.queries, trace.keys), **CLOSE
    )
    np.testing.assert_allclose(trace.scaled, trace.dot_products * module.scale, **CLOSE)
    weights = softmax(trace.masked_scores)
    np.testing.assert_allclose(trace.weights, weights, **CLOSE)
    np.testing.assert_allclose(
        trace.head_outputs, np.einsum("hqk,hkd->hqd", weights, trace.values), **CLOSE
    )
    np.testing.assert_allclose(trace.out, linear(trace.concatenated, module.output), **CLOSE)


@pytest.mark.parametrize("name", DISTINCT)
def test_sums_and_feed_forward_are_those_of_the_formulas(name: str) -> None:
    model = model_of(name)
    trace = trace_forward(model, SRC, TGT, 1)
    for layer in (trace.encoder, trace.decoder):
        for joined in filter(
            None, (layer.self_residual, layer.cross_residual, layer.feed_forward_residual)
        ):
            added = joined.before + joined.sublayer_output
            is_pre = model.config.norm.place == "pre"
            np.testing.assert_allclose(
                joined.after if is_pre else joined.norm_input, added, **CLOSE
            )
            np.testing.assert_array_equal(
                joined.sublayer_input, joined.norm_output if is_pre else joined.before
            )
    fed = trace.encoder.feed_forward
    module = model.encoder.layers[-1].feed_forward
    if fed is None:
        assert module is None
        return
    read = trace.encoder.feed_forward_residual.sublayer_input
    np.testing.assert_allclose(fed.up, linear(read, module.up), **CLOSE)
    opened = module.activation(torch.from_numpy(fed.activation_inputs)).numpy()
    np.testing.assert_allclose(fed.hidden, opened * fed.up if module.gate else opened, **CLOSE)
    np.testing.assert_allclose(fed.out, linear(fed.hidden, module.down), **CLOSE)
    np.testing.assert_array_equal(fed.out, trace.encoder.feed_forward_residual.sublayer_output)


def test_vectors_are_rows_of_the_table_scaled_and_with_positions() -> None:
    for name in DISTINCT:
        model = model_of(name)
        for embedded, stack, ids in zip(
            sides(trace_forward(model, SRC, TGT, 0)),
            (model.encoder, model.decoder),
            (SRC, TGT),
            strict=True,
        ):
            table = stack.embed.tokens.weight.detach().numpy()
            width = model.config.d_model
            np.testing.assert_array_equal(embedded.vectors, table[[*ids]])
            np.testing.assert_allclose(
                embedded.scaled,
                embedded.vectors * (width**0.5 if model.config.embeddings.scaled else 1),
                **CLOSE,
            )
            is_added = model.config.positions.kind in ("sinusoidal", "learned")
            assert (np.abs(embedded.with_positions - embedded.scaled).max() > 0) == is_added


def sides(trace: ForwardTrace) -> tuple:
    return trace.src, trace.tgt


def test_padding_after_a_source_does_not_change_its_tokens() -> None:
    model = model_of("small")
    alone, padded = (trace_forward(model, (*SRC, *[0] * n), TGT, 0) for n in (0, 3))
    np.testing.assert_allclose(padded.logits, alone.logits, **CLOSE)
    trace = padded.encoder.self_attention
    np.testing.assert_array_equal(trace.mask, np.broadcast_to(np.arange(9) < 6, (9, 9)))
    assert np.isneginf(trace.masked_scores[:, :, 6:]).all()
    np.testing.assert_allclose(
        trace.weights[:, :6, :6], alone.encoder.self_attention.weights, **CLOSE
    )


def test_a_layer_past_the_end_of_a_stack_is_its_last() -> None:
    model = model_of("small")
    np.testing.assert_array_equal(
        trace_forward(model, SRC, TGT, 9).encoder.out, trace_forward(model, SRC, TGT, 1).encoder.out
    )


def test_the_model_is_left_as_it_was() -> None:
    model = model_of("small").train()
    trace_forward(model, SRC, TGT, 0)
    assert model.training
    assert not any(module._forward_hooks for module in model.modules())


def test_weights_and_probabilities_of_a_trained_run_are_those_of_its_own_methods() -> None:
    run = s2s.load("demo-en-fr")
    source = "the red house"
    target = "la maison rouge"
    ids = run.recipe.model.ids
    src = (*run.src_tokenizer.encode(source), ids.eos)
    tgt = (ids.start, *run.tgt_tokenizer.encode(target))
    theirs = run.attention(source, target)
    for layer in range(2):
        trace = trace_forward(run.model, src, tgt, layer)
        np.testing.assert_allclose(
            trace.encoder.self_attention.weights, theirs.encoder[layer], **CLOSE
        )
        np.testing.assert_allclose(
            trace.decoder.self_attention.weights, theirs.decoder[layer], **CLOSE
        )
        np.testing.assert_allclose(
            trace.decoder.cross_attention.weights, theirs.cross[layer], **CLOSE
        )
    log_probs: Tensor = run.next_tokens(source, tgt[1:])
    np.testing.assert_allclose(
        torch.from_numpy(trace.logits).log_softmax(-1), log_probs, rtol=1e-4, atol=1e-4
    )
