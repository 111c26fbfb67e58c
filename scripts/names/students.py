"""The taggers that ship: both learn from labels and from what the teachers say."""

from functools import partial

import torch
from torch import Tensor
from torch.nn import functional

from pipeline.detect.tagger.pieces import Pieces
from scripts.names.fitting import convolved, device, encoded, fit, shares
from scripts.names.pool import Batch, Pool
from scripts.names.sentences.corpora import IGNORED, TAGS
from scripts.names.student import Student
from scripts.names.teachers import ACCURATE, TEACHERS, taught_pool, teacher
from scripts.names.training_run import Run, keep_small, said_of_held

_LEAST_SHARE = 1e-4
_HARD, _SOFT = 0.4, 1.6  # weights of the losses against labels and against teachers
_UNKNOWN = 0.04  # share of the words that the fast tagger sees without their pieces


def train_accurate(run: Run) -> None:
    """Goes on from the teacher of its own shape, in the end with products in 8 bits."""
    _, _, embeddings = run.open()
    number = TEACHERS.index(ACCURATE)
    model = teacher(number, embeddings)
    model.load_state_dict(torch.load(run.out / f"teacher-{number}.pt"))
    model.to(device())
    pool, amount = taught_pool(run), run.amount
    torch.manual_seed(11)
    per_pass = len(pool.groups(amount.pieces, None))

    def loss_of(batch: Batch) -> Tensor:
        return taught_loss(encoded(model, batch), batch, pool)

    fit_more = partial(fit, model=model, pool=pool, loss_of=loss_of, pieces=amount.pieces)
    fit_more("accurate", steps=round(per_pass * amount.accurate_passes), rate=2e-4, seed=11)
    said_of_held(run, "accurate", partial(shares, model, encoded))
    keep_small(model, run.out / "accurate-unrounded.pt")
    model.rounded()
    said_of_held(run, "accurate, rounded", partial(shares, model, encoded))
    fit_more("accurate, rounded", steps=round(per_pass * amount.rounded_passes), rate=5e-5, seed=12)
    said_of_held(run, "accurate, trained rounded", partial(shares, model, encoded))
    keep_small(model, run.out / "accurate.pt")


def train_fast(run: Run) -> None:
    """From the principal components of the embeddings."""
    _, kept, embeddings = run.open()
    torch.manual_seed(21)
    model = Student(len(kept), len(TAGS))
    model.start_from(embeddings)
    model.to(device())
    pool, pieces = taught_pool(run), run.amount.pieces

    def loss_of(batch: Batch) -> Tensor:
        return taught_loss(convolved(model, batch._replace(word_rows=with_unknown(batch.word_rows))), batch, pool)

    steps = round(len(pool.groups(pieces, None)) * run.amount.fast_passes)
    fit("fast", model, pool, loss_of, steps=steps, rate=2e-3, pieces=pieces, seed=22, decay=0.02, floor=0.01,
        is_half=False)  # fmt: skip
    said_of_held(run, "fast", partial(shares, model, convolved))
    keep_small(model, run.out / "fast.pt")


def taught_loss(scores: Tensor, batch: Batch, pool: Pool) -> Tensor:
    """Against the labels where there are some, and against the teachers' shares."""
    assert pool.shares is not None
    hard = functional.cross_entropy(
        scores.flatten(0, 1).float(), batch.tags.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    taught = pool.shares[batch.places].float().clamp(min=_LEAST_SHARE).log()
    each = functional.kl_div(functional.log_softmax(scores.float(), -1), taught, log_target=True, reduction="none")
    soft = (each.sum(-1) * batch.is_word).sum()
    return _HARD * hard / (batch.tags != IGNORED).sum().clamp(min=1) + _SOFT * soft / batch.is_word.sum()


def with_unknown(rows: Tensor) -> Tensor:
    """The rows with some words as if their pieces were unknown, so that the network learns to read around them."""
    chosen = torch.rand(rows.shape[:2], device=rows.device) < _UNKNOWN
    changed = rows.clone()
    pieces = changed[:, :, 1:]
    pieces[chosen[:, :, None] & (pieces != Pieces.PAD)] = Pieces.UNKNOWN
    return changed
