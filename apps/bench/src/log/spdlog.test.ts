import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LOG_COMPARISONS } from './comparisons.ts'
import { missingSpdlog } from './spdlog.ts'

it('names the package to install if the headers or the compiler are missing', () => {
  vi.stubEnv('PATH', '/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(missingSpdlog()).toMatch(/ is not installed; on Debian, run scripts\/install-bench-tools\.sh \(package /)
})

describe.each(['call', 'burst', 'disabled'])('the comparison %s', (name) => {
  it('includes spdlog', () => {
    const candidates = LOG_COMPARISONS.find((comparison) => comparison.name === name)?.candidates ?? []
    expect(candidates.map((candidate) => candidate.name)).toContain('spdlog native buffered')
  })
})
