import { describe, expect, it } from 'vitest'
import { checkNodeVersion } from './node-version.ts'

describe('checkNodeVersion', () => {
  it.each(['24.0.0', '24.9.1', '26.10.0', '100.0.0'])('accepts %s', (version) => {
    expect(() => checkNodeVersion(version)).not.toThrow()
  })

  it.each(['20.20.2', '23.11.0', '4.0.0'])('rejects %s with one sentence that names the versions', (version) => {
    expect(() => checkNodeVersion(version)).toThrow(
      `@fw requires Node.js 24 or later, but this is Node.js ${version}. Install a newer version from https://nodejs.org.`,
    )
  })
})
