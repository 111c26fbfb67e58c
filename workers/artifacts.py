"""The artifacts of a job: sealed objects that stages pass on, stored under the attempt that wrote them."""

from collections.abc import Iterator, Mapping, Sequence

from pipeline.codec import decode, dump, encode, from_bytes, load, to_bytes
from pipeline.documents.document import Extraction, Findings, Raster, Reading
from schemas.stages import Stage
from storage.jobs.leases import Claim
from storage.jobs.objects import artifact_key, input_key, part_key, result_key
from storage.objects.sealed import SealedStore


class Artifacts:
    """The artifacts of one job for one claim: reads those of finished stages, writes its own."""

    def __init__(self, objects: SealedStore, claim: Claim) -> None:
        self._objects, self._claim = objects, claim

    def document(self) -> bytes:
        """The uploaded file."""
        return self._objects.get(input_key(self._claim.job_id))

    def extraction(self) -> Extraction:
        """Everything that the document says."""
        return load(Extraction, self._read(Stage.EXTRACT, "extraction"))

    def raster(self, part: int) -> tuple[Raster, bytes]:
        """One raster and its pixels."""
        raster = decode(Raster, from_bytes(self._read(Stage.EXTRACT, f"raster-{part}")))
        return raster, self._read(Stage.EXTRACT, f"pixels-{part}")

    def readings(self, attempts: Mapping[int, int]) -> tuple[Reading, ...]:
        """What OCR read, in the order of the rasters. `attempts`: for each raster, the attempt whose reading counts.

        A second round uses the readings that the first verification amended.
        """
        if self._claim.job.round > 1:
            return tuple(load(Reading, self._read(Stage.VERIFY, f"reading-{part}")) for part in sorted(attempts))
        keys = (part_key(self._claim.job_id, part, attempts[part]) for part in sorted(attempts))
        return tuple(load(Reading, self._objects.get(key)) for key in keys)

    def findings(self) -> Findings:
        """What this round removes; in a second round the findings of the first verification."""
        return load(Findings, self._read(Stage.DETECT if self._claim.job.round == 1 else Stage.VERIFY, "findings"))

    def candidate(self) -> bytes:
        """The redacted file before its verification."""
        return self._objects.get(self._key(Stage.REDACT, "candidate"))

    def candidate_pieces(self) -> Iterator[bytes]:
        """The redacted file in pieces."""
        return self._objects.read(self._key(Stage.REDACT, "candidate"))

    def save_extraction(self, extraction: Extraction, pixels: Mapping[str, bytes]) -> None:
        """Stores the extraction, and each raster with its pixels (by raster id)."""
        for part, raster in enumerate(extraction.rasters):
            self._write(f"raster-{part}", to_bytes(encode(raster)))
            self._write(f"pixels-{part}", pixels[raster.id])
        self._write("extraction", dump(extraction))

    def save_reading(self, reading: Reading) -> None:
        """Stores what OCR read in the raster of this claim."""
        assert self._claim.part is not None  # noqa: S101 - only a claim of a part reads a raster
        self._objects.put(part_key(self._claim.job_id, self._claim.part, self._claim.attempt), dump(reading))

    def save_findings(self, findings: Findings) -> None:
        """Stores what the next redaction removes."""
        self._write("findings", dump(findings))

    def save_amended(self, findings: Findings, readings: Sequence[Reading]) -> None:
        """Stores findings and readings for the second round."""
        for part, reading in enumerate(readings):
            self._write(f"reading-{part}", dump(reading))
        self.save_findings(findings)

    def save_candidate(self, data: bytes) -> None:
        """Stores the redacted file until it is proven clean."""
        self._write("candidate", data)

    def save_result(self) -> int:
        """Copies the candidate to the key that downloads read. Returns its size in bytes."""
        size = 0
        with self._objects.writer(result_key(self._claim.job_id, self._claim.attempt)) as writer:
            for piece in self.candidate_pieces():
                writer.write(piece)
                size += len(piece)
            writer.commit()
        return size

    def _write(self, name: str, data: bytes) -> None:
        self._objects.put(artifact_key(self._claim.job_id, self._claim.stage, self._claim.attempt, name), data)

    def _read(self, stage: Stage, name: str) -> bytes:
        return self._objects.get(self._key(stage, name))

    def _key(self, stage: Stage, name: str) -> str:
        return artifact_key(self._claim.job_id, stage, self._claim.job.outputs[stage.value], name)
