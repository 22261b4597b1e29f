import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../src/certificate.ts'
import type { Run } from '../src/run.ts'

// Nothing is compared here, and other tests run at the same time.
process.env['FW_BENCH_PINNED'] = '0'

/** A run of one second with a folder of its own, which leaving the scope removes. */
export async function measuredRun(): Promise<Run & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'fw-bench-test-'))
  return {
    rounds: 1,
    seconds: 1,
    warmUpSeconds: 1,
    isQuick: true,
    folder,
    certificate: await makeCertificate(folder),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
