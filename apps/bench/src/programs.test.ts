import { describe, expect, it, vi, onTestFinished } from 'vitest'
import { findBun, findProgram, requirePrograms } from './programs.ts'

describe('a program that is missing', () => {
  it('is named with what has to be installed', () => {
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(findProgram('h2load')).toBeUndefined()
    expect(() => requirePrograms(['h2load'])).toThrow(
      'h2load is not installed; on Debian run scripts/install-bench-tools.sh (package nghttp2-client)',
    )
  })
})

describe('a program that is there', () => {
  it('is found', () => {
    expect(findProgram('wrk')).toMatch(/\/wrk$/)
    expect(() => requirePrograms(['wrk'])).not.toThrow()
  })

  it('may come from npm, without running anything at install time', () => {
    expect(findBun()).toMatch(/\/bin\/bun$/)
  })
})
