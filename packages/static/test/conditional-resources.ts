import type { Router } from '@fw/types'
import { planResponse } from '../src/http/plan-response.ts'
import { deliver } from '../src/deliver.ts'
import { parseHttpDate } from '@fw/http-fields'
import { withFields } from '../src/http/representation.ts'

interface Resource {
  readonly etag?: string
  readonly lastModified?: string
  readonly size: number
  readonly status?: number
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
const STATE = { dev: 0n, ino: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n }

/** Registers the route for the conditional-request cases: `GET /c/<base64url of a JSON resource>`. */
export function addResources(router: Router): void {
  router.all('/c/:resource', async (ctx) => {
    const resource = JSON.parse(Buffer.from(ctx.params.resource, 'base64url').toString()) as Resource
    const { size } = resource
    const bytes = Buffer.from(ALPHABET.repeat(Math.ceil(size / ALPHABET.length)).slice(0, size))
    const { lastModified } = resource
    const representation = withFields({
      size,
      contentType: 'text/plain',
      coding: 'identity',
      etag: resource.etag,
      lastModified: lastModified === undefined ? undefined : parseHttpDate(lastModified),
    })
    ctx.responseHeaders.set('cache-control', 'max-age=60')
    ctx.responseHeaders.set('vary', 'Accept-Encoding')
    // RFC 9110 §13.2.1: ignore conditions if the response would not be a success.
    if (resource.status !== undefined && resource.status !== 200) {
      ctx.bytes(bytes, { status: resource.status })
    } else if (ctx.method === 'GET' || ctx.method === 'HEAD') {
      await deliver(ctx, {
        path: '/files/resource',
        open: () => ({ stats: STATE, bytes }),
        describe: () => representation,
        isLoaded: () => true,
        load: () => Promise.resolve({ stats: STATE, bytes }),
        prepare: () => {},
        onCut: () => {},
      })
    } else {
      const { status } = planResponse(ctx.method, ctx.headers, representation)
      ctx.empty(status === 200 ? 204 : status)
    }
  })
}
