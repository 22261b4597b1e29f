import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../src/certificate.ts'
import type { Run } from '../src/run.ts'

// Do not pin processes. These tests compare no results, and other tests run at the same time.
process.env['FW_BENCH_PINNED'] = '0'

/** Returns a run of one second with a temporary folder, which is deleted when its scope ends. */
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
