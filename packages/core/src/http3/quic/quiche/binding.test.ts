import { expect, it } from 'vitest'
import { loadQuiche } from './binding.ts'

it('a missing package is named, with the command that installs it', async () => {
  const missing = Object.assign(new Error("Cannot find package '@matrixai/quic'"), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(loadQuiche(() => Promise.reject(missing))).rejects.toThrow(
    expect.objectContaining({
      name: 'StartupError',
      message: 'HTTP/3 needs the package @matrixai/quic: npm install @matrixai/quic',
      cause: missing,
    }),
  )
})

it('a package without a binary for the platform says so, and what to do instead', async () => {
  const failure = new Error('Failed requiring possible native bindings: quic-linux-arm64')
  await expect(loadQuiche(() => Promise.reject(failure))).rejects.toThrow(
    `none that works on ${process.platform}-${process.arch}: switch http3 off`,
  )
})

it('loads the binding where the package is installed', async () => {
  const quiche = await loadQuiche()
  expect(quiche.versionIsSupported(1)).toBe(true)
})
