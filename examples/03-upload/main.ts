import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { HttpError, Server } from '@fw/core'
import { sendFile } from '@fw/static'

const folder = process.env['UPLOADS'] ?? join(import.meta.dirname, 'uploads')
await mkdir(folder, { recursive: true })

const EXTENSIONS = new Map([
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['image/webp', '.webp'],
])
const MIB = 1024 * 1024

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

router.get('/', (ctx) =>
  ctx.html(`<!doctype html><title>Photos</title>
<form method="post" action="/photos" enctype="multipart/form-data">
  <input type="file" name="photo" accept="image/*" required> <button>Upload</button>
</form>`),
)

router.post('/photos', { limits: { maxBodyBytes: 11 * MIB, maxFileBytes: 10 * MIB } }, async (ctx) => {
  for await (const part of ctx.parts()) {
    if (part.name !== 'photo') continue
    const extension = EXTENSIONS.get(part.contentType)
    if (extension === undefined) throw new HttpError(415, 'The photo must be a JPEG, PNG or WebP file')

    // The client's file name is not safe as a path. Clients can request the photo only when it is complete.
    const name = `${randomUUID()}${extension}`
    const partial = join(folder, `.${name}`)
    try {
      await pipeline(part, createWriteStream(partial))
      await rename(partial, join(folder, name))
    } finally {
      await rm(partial, { force: true })
    }
    return ctx.redirect(`/photos/${name}`, 303)
  }
  throw new HttpError(400, 'The form has no file named "photo"')
})

router.get('/photos/:name', (ctx) =>
  sendFile(ctx, ctx.params.name, { root: folder, cacheControl: 'max-age=31536000, immutable' }),
)

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
