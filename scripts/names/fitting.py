"""The training loop that all networks share, and what a network says of a pool of words."""

import random
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from scripts.names.pool import Batch, Pool, endless
from scripts.names.sentences.corpora import LABELS, TAGS

_WARM_UP = 0.06
_TOLD = 10  # times a run tells how it goes
Network = Callable[[nn.Module, Batch], Tensor]  # the scores (batch, words, tags)


def device() -> torch.device:
    """A GPU if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def encoded(model: nn.Module, batch: Batch) -> Tensor:
    """The scores of an encoder, which reads pieces."""
    scores: Tensor = model(batch.rows, batch.is_piece, batch.first)
    return scores


def convolved(model: nn.Module, batch: Batch) -> Tensor:
    """The scores of a network that reads words."""
    scores: Tensor = model(batch.word_rows, batch.is_word[..., None].float())
    return scores


def fit(
    name: str,
    model: nn.Module,
    pool: Pool,
    loss_of: Callable[[Batch], Tensor],
    *,
    steps: int,
    rate: float,
    pieces: int,
    seed: int,
    decay: float = 0.01,
    floor: float = 0.0,
    is_half: bool = True,
) -> None:
    """AdamW with a linear rise and fall of the learning rate, on batches of about so many pieces.

    `floor`: the least share of the learning rate; `is_half`: compute in 16 bits where the device is a GPU.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=decay, fused=True)

    def factor(step: int) -> float:
        warm = max(_WARM_UP * steps, 1)
        return min(step / warm, max(floor, (steps - step) / max(steps - warm, 1)))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    model.train()
    begun, total, read = time.monotonic(), torch.zeros((), device=pool.device), 0
    for step, batch in zip(range(1, steps + 1), endless(pool, pieces, random.Random(seed)), strict=False):
        with torch.autocast(pool.device.type, torch.bfloat16, enabled=is_half and pool.device.type == "cuda"):
            loss = loss_of(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad(set_to_none=True)
        total += loss.detach()
        read += batch.rows.numel()
        if step % max(1, steps // _TOLD) == 0:
            seconds = time.monotonic() - begun
            mean = float(total) / max(1, steps // _TOLD)
            print(f"{name} {step}/{steps} loss {mean:.4f} {read / seconds:,.0f} pieces/s {seconds:.0f} s", flush=True)
            total.zero_()


@torch.no_grad()
def shares(model: nn.Module, scores_of: Network, pool: Pool, pieces: int) -> Tensor:
    """What a network says of all words of a pool, in batches of so many pieces: (words, tags), each row sums to 1."""
    model.eval()
    found = torch.zeros((pool.words, len(TAGS)), device=pool.device)
    for group in pool.groups(pieces, None):
        batch = pool.batch(group)
        with torch.autocast(pool.device.type, torch.bfloat16, enabled=pool.device.type == "cuda"):
            scores = scores_of(model, batch)
        found[batch.places[batch.is_word]] = scores[batch.is_word].float().softmax(-1)
    return found


def figures(said: Tensor, tags: Tensor) -> str:
    """Recall, precision and F1 of the words of each label, where a word's tag is its likeliest."""
    found, told = said.argmax(-1), []
    judged = tags >= 0
    for number, label in enumerate(LABELS):
        is_found = ((found == 2 * number + 1) | (found == 2 * number + 2)) & judged
        is_gold = (tags == 2 * number + 1) | (tags == 2 * number + 2)
        right = float((is_found & is_gold).sum())
        recall, precision = right / max(float(is_gold.sum()), 1), right / max(float(is_found.sum()), 1)
        told.append(
            f"{label} {recall:.3f}/{precision:.3f}/{2 * recall * precision / max(recall + precision, 1e-9):.3f}"
        )
    return " ".join(told)
