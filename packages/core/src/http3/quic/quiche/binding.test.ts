import { describe, expect, it } from 'vitest'
import { loadQuiche } from './binding.ts'

describe('loadQuiche', () => {
  it('names a missing package and the command that installs it', async () => {
    const missing = Object.assign(new Error("Cannot find package '@matrixai/quic'"), { code: 'ERR_MODULE_NOT_FOUND' })
    await expect(loadQuiche(() => Promise.reject(missing))).rejects.toThrow(
      expect.objectContaining({
        name: 'StartupError',
        message: 'HTTP/3 needs the package @matrixai/quic. Run "npm install @matrixai/quic".',
        cause: missing,
      }),
    )
  })

  it('names a platform without a binary, and the alternatives', async () => {
    const failure = new Error('Failed requiring possible native bindings: quic-linux-arm64')
    await expect(loadQuiche(() => Promise.reject(failure))).rejects.toThrow(
      `no binary for ${process.platform}-${process.arch}. Turn option "http3" off`,
    )
  })

  it('loads the binding if the package is installed', async () => {
    const quiche = await loadQuiche()
    expect(quiche.versionIsSupported(1)).toBe(true)
  })
})
