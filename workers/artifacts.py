"""The artifacts of a job: sealed objects that stages pass on, stored under the attempt that wrote them."""

from collections.abc import Iterator, Mapping, Sequence

from pipeline.codec import decode, dump, encode, from_bytes, load, to_bytes
from pipeline.documents.document import Extraction, Findings, Raster, Reading
from pipeline.verification.reading import SecondReading
from schemas.stages import Stage
from storage.jobs.leases import Claim, part_round
from storage.jobs.objects import artifact_key, input_key, part_key, result_key
from storage.objects.sealed import SealedStore

# Where the rasters of each stage in parts come from.
_RASTERS = {Stage.OCR: Stage.EXTRACT, Stage.REREAD: Stage.VERIFY}


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

    def second_reading(self) -> SecondReading:
        """Everything that the output says."""
        return load(SecondReading, self._read(Stage.VERIFY, "second_reading"))

    def raster(self, part: int) -> tuple[Raster, bytes]:
        """One raster of the input, at REREAD of the output, and its pixels."""
        of = _RASTERS[self._claim.stage]
        raster = decode(Raster, from_bytes(self._read(of, f"raster-{part}")))
        return raster, self._read(of, f"pixels-{part}")

    def readings(self, attempts: Mapping[int, int]) -> tuple[Reading, ...]:
        """What OCR read, in the order of the rasters. `attempts`: for each raster, the attempt whose reading counts.

        A second round uses the readings that the first verification amended.
        """
        if self._claim.job.round > 1:
            return tuple(load(Reading, self._read(Stage.DETECT, f"reading-{part}")) for part in sorted(attempts))
        return self._readings(Stage.OCR, attempts)

    def readings_again(self, attempts: Mapping[int, int]) -> tuple[Reading, ...]:
        """What the second reading read in the rasters of the output."""
        return self._readings(Stage.REREAD, attempts)

    def findings(self) -> Findings:
        """What this round removes."""
        return load(Findings, self._read(Stage.DETECT, "findings"))

    def candidate(self) -> bytes:
        """The redacted file before its verification."""
        return self._objects.get(self._key(Stage.REDACT, "candidate"))

    def candidate_pieces(self) -> Iterator[bytes]:
        """The redacted file in pieces."""
        return self._objects.read(self._key(Stage.REDACT, "candidate"))

    def save_extraction(self, extraction: Extraction, pixels: Mapping[str, bytes]) -> None:
        """Stores the extraction, and each raster with its pixels (by raster id)."""
        self._save_rasters(extraction.rasters, pixels)
        self._write("extraction", dump(extraction))

    def save_second_reading(self, second: SecondReading, pixels: Mapping[str, bytes]) -> None:
        """Stores the second reading, and each raster with its pixels (by raster id)."""
        self._save_rasters(second.rasters, pixels)
        self._write("second_reading", dump(second))

    def save_reading(self, reading: Reading) -> None:
        """Stores what was read in the raster of this claim."""
        assert self._claim.part is not None  # noqa: S101 - only a claim of a part reads a raster
        self._objects.put(self._part_key(self._claim.stage, self._claim.part, self._claim.attempt), dump(reading))

    def save_findings(self, findings: Findings) -> None:
        """Stores what the next redaction removes."""
        self._write("findings", dump(findings))

    def save_amended(self, findings: Findings, readings: Sequence[Reading]) -> None:
        """Stores findings and readings for the second round, as if detection had found them."""
        for part, reading in enumerate(readings):
            self._write(f"reading-{part}", dump(reading), Stage.DETECT)
        self._write("findings", dump(findings), Stage.DETECT)

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

    def _save_rasters(self, rasters: Sequence[Raster], pixels: Mapping[str, bytes]) -> None:
        for part, raster in enumerate(rasters):
            self._write(f"raster-{part}", to_bytes(encode(raster)))
            self._write(f"pixels-{part}", pixels[raster.id])

    def _readings(self, stage: Stage, attempts: Mapping[int, int]) -> tuple[Reading, ...]:
        keys = (self._part_key(stage, part, attempts[part]) for part in sorted(attempts))
        return tuple(load(Reading, self._objects.get(key)) for key in keys)

    def _part_key(self, stage: Stage, part: int, attempt: int) -> str:
        return part_key(self._claim.job_id, stage, part_round(self._claim.job, stage), part, attempt)

    def _write(self, name: str, data: bytes, stage: Stage | None = None) -> None:
        self._objects.put(artifact_key(self._claim.job_id, stage or self._claim.stage, self._claim.attempt, name), data)

    def _read(self, stage: Stage, name: str) -> bytes:
        return self._objects.get(self._key(stage, name))

    def _key(self, stage: Stage, name: str) -> str:
        return artifact_key(self._claim.job_id, stage, self._claim.job.outputs[stage.value], name)
