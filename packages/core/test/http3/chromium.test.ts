import { launchChromium, testCertificate } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LARGE, startInterop, type InteropServer } from './interop-server.ts'

type Browser = Awaited<ReturnType<typeof launchChromium>>

let server: InteropServer
let browser: Browser
let page: Awaited<ReturnType<Browser['newPage']>>

beforeAll(async () => {
  server = await startInterop('<title>a page</title>')
  browser = await launchChromium({ spki: (await testCertificate()).spkiSha256 })
  page = await browser.newPage()
  await page.goto(`${server.origin}/`)
})
afterAll(async () => {
  await browser.close()
  await server[Symbol.asyncDispose]()
})

/** Runs the body of an async function in the page. */
function inPage(script: string): Promise<unknown> {
  return page.evaluate(`(async () => { ${script} })()`)
}

/** Returns the protocol that the page uses to fetch a path. */
function nextHop(path: string): Promise<unknown> {
  return inPage(`
    const url = new URL('${path}?' + Math.random(), location.href)
    await (await fetch(url)).arrayBuffer()
    return performance.getEntriesByName(url.href)[0].nextHopProtocol`)
}

describe('Chromium', () => {
  it('starts with HTTP/2, reads alt-svc, and continues with HTTP/3 on the same port number', async () => {
    expect(server.protocols[0]).toBe('HTTP/2.0')
    await expect.poll(() => nextHop('/large')).toBe('h3')
    expect(server.protocols).toContain('HTTP/3.0')
    expect(await nextHop('/')).toBe('h3')
  })

  it('downloads 1 MiB, then 100 concurrent responses', async () => {
    expect(
      await inPage(`
        const large = await (await fetch('/large')).arrayBuffer()
        const many = await Promise.all(Array.from({ length: 100 }, async () => (await fetch('/nothing')).status))
        return [large.byteLength, many.filter((status) => status === 204).length]`),
    ).toEqual([LARGE.length, 100])
  })

  it('uploads 1 MiB and downloads it again', async () => {
    expect(
      await inPage(`
        const body = new Uint8Array(${LARGE.length}).map((_, i) => i % 251)
        const echoed = new Uint8Array(await (await fetch('/echo', { method: 'POST', body })).arrayBuffer())
        return [echoed.length, echoed.every((byte, i) => byte === i % 251)]`),
    ).toEqual([LARGE.length, true])
  })

  it('receives the response to a request whose body the server does not read', async () => {
    expect(
      await inPage(`
        const response = await fetch('/refused', { method: 'POST', body: new Uint8Array(3_000_000) })
        return [response.status, await response.text()]`),
    ).toEqual([403, 'no'])
  })

  it('receives events as they are sent, and closes their stream, which notifies the handler', async () => {
    expect(
      await inPage(`
        return new Promise((resolve) => {
          const got = []
          const source = new EventSource('/ticks')
          source.addEventListener('message', (event) => {
            if (got.push(event.data) < 5) return
            source.close()
            resolve(got)
          })
        })`),
    ).toEqual(['0', '1', '2', '3', '4'])
    await expect.poll(() => server.ends).toEqual([expect.objectContaining({ status: 200, aborted: true })])
  })

  it('detects a truncated response', async () => {
    expect(await inPage(`return (await fetch('/broken')).text().then(() => 'whole', (error) => error.name)`)).toBe(
      'TypeError',
    )
  })

  it('uses only HTTP/3 after the switch', () => {
    const since = server.protocols.slice(server.protocols.lastIndexOf('HTTP/2.0') + 1)
    expect(since.length).toBeGreaterThan(100)
    expect(new Set(since)).toEqual(new Set(['HTTP/3.0']))
  })
})
