"""Words of training: how weights come about, and runs."""

from __future__ import annotations

from s2s.words.term import Term

TRAINING: tuple[Term, ...] = (
    Term(
        "Adafactor",
        plain="An optimizer like Adam that needs much less memory.",
        expert=(
            "Stores row and column means of the squared gradient instead of one value per weight."
        ),
        source="Shazeer & Stern 2018",
        page="train",
    ),
    Term(
        "Adam",
        plain="The most common rule for turning gradients into weight changes.",
        expert=(
            "Running means of the gradient and of its square scale each step; AdamW decouples "
            "weight decay."
        ),
        source="Kingma & Ba 2015; Loshchilov & Hutter 2019",
        page="train",
        also=("AdamW",),
    ),
    Term(
        "batch",
        plain="The sentence pairs that one training step learns from.",
        expert="Here counted in tokens: rows times the longest side, padding included.",
        source="",
        page="train",
        also=("batches", "batch size", "batch_tokens"),
    ),
    Term(
        "checkpoint",
        plain="A saved copy of the model at one step of training.",
        expert=(
            "Weights plus optimizer, generator and data position, so that training resumes exactly."
        ),
        source="",
        page="runs",
        also=("checkpoints",),
    ),
    Term(
        "checkpoint averaging",
        plain="Averaging the weights of the last few checkpoints into one model.",
        expert=(
            "The arithmetic mean of the parameters; it often gains a little BLEU at no cost in "
            "decoding."
        ),
        source="Vaswani et al. 2017, section 6.1",
        page="train",
        also=("averaging", "average_last"),
    ),
    Term(
        "clipping",
        plain="Shrinking a gradient that is too large.",
        expert="Scales all gradients so that their joint norm is at most clip_norm.",
        source="Pascanu et al. 2013",
        page="train",
        also=("gradient clipping", "clip_norm"),
    ),
    Term(
        "cosine schedule",
        plain="A learning rate that falls along a smooth curve to zero.",
        expert=(
            "0.5 * (1 + cos(pi * t)) of the peak, where t runs from 0 after warmup to 1 at the "
            "last step."
        ),
        source="Loshchilov & Hutter 2017, equation 5",
        page="train",
        also=("cosine",),
    ),
    Term(
        "cross-entropy",
        plain="A measure of how surprised the model is by the right answer.",
        expert="Mean of −log p over the one-hot or smoothed reference; the training loss.",
        source="",
        page="train",
    ),
    Term(
        "device",
        plain="The processor that does the computation.",
        expert=(
            "cpu, cuda or mps; bit-identical repeats are promised on CPU with a fixed thread "
            "count only."
        ),
        source="",
        page="train",
        also=("CPU", "GPU"),
    ),
    Term(
        "dropout",
        plain=(
            "Setting random values to zero during training, so that the model does not rely on a "
            "few."
        ),
        expert=(
            "Each value is dropped with probability p and the rest divided by 1 − p; off "
            "when decoding."
        ),
        source="Srivastava et al. 2014",
        page="train",
    ),
    Term(
        "early stopping",
        plain="Ending training when the validation loss no longer improves.",
        expert=(
            "Stops after patience validations without a new best; the best checkpoint is kept."
        ),
        source="",
        page="train",
        also=("patience",),
    ),
    Term(
        "epoch",
        plain="One pass over all training pairs.",
        expert="Steps times tokens per batch, divided by the tokens of the training set.",
        source="",
        page="train",
        also=("epochs",),
    ),
    Term(
        "exposure bias",
        plain="The mismatch between training on correct words and decoding from the model's own.",
        expert=(
            "Teacher forcing never shows the model its own errors, which may accumulate when "
            "decoding."
        ),
        source="Ranzato et al. 2016",
        page="steps",
    ),
    Term(
        "fault",
        plain="A known mistake, made on purpose to see what it does to a model.",
        expert="Applied from outside by hooks or another loss target; code and weights stay as they are.",
        page="train",
        also=("faults", "deliberate fault"),
    ),
    Term(
        "fine-tuning",
        plain="Training that starts from the weights of an earlier run.",
        expert=(
            "The tokenizer and model settings are inherited; optimizer state and schedule start "
            "fresh."
        ),
        source="",
        page="train",
        also=("fine-tune", "initialize from"),
    ),
    Term(
        "forecast",
        plain="An estimate of what a training run will cost, made before it starts.",
        expert="Parameters, memory, FLOPs and minutes, from measured throughput on this computer.",
        source="",
        page="train",
    ),
    Term(
        "gradient",
        plain="How fast the loss rises when a weight grows; training moves the weight the other way.",
        expert="The derivative of the loss by each parameter, computed by backpropagation.",
        source="Rumelhart et al. 1986",
        page="train",
        also=("gradients",),
    ),
    Term(
        "gradient norm",
        plain="How steep the loss is at the current weights.",
        expert="The Euclidean norm of all gradients together, logged before clipping.",
        source="Pascanu et al. 2013",
        page="train",
        also=("grad norm", "grad_norm"),
    ),
    Term(
        "inverse square root schedule",
        plain="A learning rate that falls ever more slowly after warmup.",
        expert="Proportional to 1 / √step, as in the transformer paper.",
        source="Vaswani et al. 2017, equation 3",
        page="train",
        also=("inverse_sqrt", "inverse-sqrt"),
    ),
    Term(
        "label smoothing",
        plain="Training toward a little less than full certainty.",
        expert=(
            "The reference token gets 1 - eps and the rest is spread over the vocabulary; the "
            "loss shown is unsmoothed."
        ),
        source="Szegedy et al. 2016",
        page="train",
    ),
    Term(
        "learning rate",
        plain="The factor by which the optimizer scales each update.",
        expert="train.lr is the peak; warmup and schedule set the rate of each step.",
        source="",
        page="train",
        also=("lr",),
    ),
    Term(
        "loss",
        plain="How badly the model predicts the reference words; lower is better.",
        expert=(
            "Mean negative log-probability per target token, in nats, </s> included, without "
            "smoothing."
        ),
        source="",
        page="train",
        also=("training loss", "nll"),
    ),
    Term(
        "memorization",
        plain="Learning the training pairs themselves instead of what they have in common.",
        expert="Shows as training loss far below validation loss, which then rises.",
        source="",
        page="train",
        also=("memorize", "overfitting"),
    ),
    Term(
        "mixed precision",
        plain="Computing with shorter numbers where that is accurate enough.",
        expert=(
            "bf16 rounds the factors of matrix products to bfloat16, beside float32 weights and sums; fast, on CPUs, "
            "takes other products only where a check finds them as accurate as float32."
        ),
        source="Micikevicius et al. 2018",
        page="train",
        also=("bf16", "fast precision"),
    ),
    Term(
        "optimizer",
        plain="The rule that turns gradients into changes of the weights.",
        expert="adam, adamw, adafactor or sgd; weight decay acts on matrices only.",
        source="",
        page="train",
        also=("optimizers",),
    ),
    Term(
        "preset",
        plain="A ready-made recipe to start from.",
        expert="Sets model, tokenizer, training and maximum length; every setting can be changed.",
        source="",
        page="train",
        also=("presets",),
    ),
    Term(
        "probe sentence",
        plain="A fixed sentence that is translated again and again during training.",
        expert="Drawn from the validation pairs and decoded greedily at each validation.",
        source="",
        page="train",
        also=("probes", "probe sentences", "samples"),
    ),
    Term(
        "recipe",
        plain="All the settings of a run: data, tokenizer, model and training.",
        expert="Together with the data hash it determines the run; stored as recipe.json.",
        source="",
        page="runs",
        also=("recipes",),
    ),
    Term(
        "reproducible",
        plain="Giving the same numbers again from the same settings.",
        expert="Same recipe, data, thread count and kind of CPU give bit-identical weights; not with `train.minutes`.",
        source="",
        page="runs",
        also=("reproducibility", "bit-identical"),
    ),
    Term(
        "resume",
        plain="Taking up training where it stopped.",
        expert=(
            "Restores weights, optimizer, random generators and the position in the data from the"
            " last checkpoint."
        ),
        source="",
        page="runs",
        also=("continue",),
    ),
    Term(
        "run",
        plain="One training of one model, with everything it produced.",
        expert="A folder with recipe, metrics, samples, checkpoints and tokenizer files.",
        source="",
        page="runs",
        also=("runs",),
    ),
    Term(
        "schedule",
        plain="How the learning rate changes over the training steps.",
        expert="Linear warmup to train.lr, then constant, cosine or inverse square root.",
        source="",
        page="train",
        also=("schedules", "learning rate schedule"),
    ),
    Term(
        "seed",
        plain="The number that all random choices of a run follow from.",
        expert="Sets initial weights, data order and dropout; decoding has a seed of its own.",
        source="",
        page="train",
        also=("seeds", "random seed"),
    ),
    Term(
        "SGD",
        plain="The simplest optimizer: a step along the gradient.",
        expert=(
            "With momentum here: past gradients are added up with decay beta1, then scaled by the"
            " learning rate."
        ),
        source="Polyak 1964",
        page="train",
        also=("stochastic gradient descent", "momentum"),
    ),
    Term(
        "step",
        plain="One change of the weights, made from one batch.",
        expert="Forward pass, backward pass, clipping, optimizer update.",
        source="",
        page="train",
        also=("steps", "training step", "training steps", "update", "updates"),
    ),
    Term(
        "sweep",
        plain="Several runs that differ in one or a few settings.",
        expert="A small grid over recipe settings; runs share a tag and are compared together.",
        source="",
        page="runs",
        also=("sweeps", "grid"),
    ),
    Term(
        "teacher forcing",
        plain="Feeding the correct previous words to the decoder instead of its own.",
        expert=(
            "Computes the probabilities of all positions in one pass; used in training and for scoring "
            "references."
        ),
        source="Williams & Zipser 1989",
        page="steps",
        also=("forced decoding",),
    ),
    Term(
        "throughput",
        plain="How many tokens are processed in a second.",
        expert=(
            "Source plus target tokens per second; a higher number at the same settings means a "
            "faster computer."
        ),
        source="",
        page="train",
        also=("tokens per second", "tokens/s"),
    ),
    Term(
        "training",
        plain="Adjusting the weights so that the model predicts the training pairs better.",
        expert="Minimizes label-smoothed cross-entropy with teacher forcing.",
        source="",
        page="train",
    ),
    Term(
        "validation",
        plain="Measuring the model on pairs that it does not train on.",
        expert=(
            "Runs every watch.validate_every steps; selects the best checkpoint and drives early "
            "stopping."
        ),
        source="",
        page="train",
        also=("valid", "validation loss"),
    ),
    Term(
        "warmup",
        plain="The first steps, in which the learning rate climbs from zero.",
        expert=(
            "Linear over warmup_steps; protects Adam's early variance estimates and post-norm "
            "stacks."
        ),
        source="Vaswani et al. 2017, section 5.3",
        page="train",
        also=("warmup_steps",),
    ),
    Term(
        "weight decay",
        plain="Pulling weights slightly toward zero at each step.",
        expert=(
            "Subtracts lr * weight_decay * w, decoupled from the gradient in AdamW; not applied "
            "to biases and norms."
        ),
        source="Loshchilov & Hutter 2019",
        page="train",
    ),
)
