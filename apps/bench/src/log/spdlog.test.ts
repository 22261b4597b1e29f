import { expect, it, onTestFinished, vi } from 'vitest'
import { LOG_COMPARISONS } from './comparisons.ts'
import { missingSpdlog } from './spdlog.ts'

it('without its headers or a compiler, spdlog is missing, and what to install is said', () => {
  vi.stubEnv('PATH', '/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(missingSpdlog()).toMatch(/ is not installed; on Debian run scripts\/install-bench-tools\.sh \(package /)
})

it.each(['call', 'burst', 'disabled'])('the comparison %s has the native logger', (name) => {
  const candidates = LOG_COMPARISONS.find((comparison) => comparison.name === name)?.candidates ?? []
  expect(candidates.map((candidate) => candidate.name)).toContain('spdlog native buffered')
})
