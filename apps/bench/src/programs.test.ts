import { describe, expect, it, vi, onTestFinished } from 'vitest'
import { findBun, findProgram, requirePrograms } from './programs.ts'

describe('requirePrograms', () => {
  it('throws with the package of a missing program', () => {
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(findProgram('h2load')).toBeUndefined()
    expect(() => requirePrograms(['h2load'])).toThrow(
      'h2load is not installed; on Debian, run scripts/install-bench-tools.sh (package nghttp2-client)',
    )
  })

  it('accepts an installed program', () => {
    expect(findProgram('wrk')).toMatch(/\/wrk$/)
    expect(() => requirePrograms(['wrk'])).not.toThrow()
  })
})

it('finds Bun in the npm package', () => {
  expect(findBun()).toMatch(/\/bin\/bun$/)
})
