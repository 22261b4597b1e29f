import { HttpError, Server } from '@fw/core'
import { fromNode, nodeRequest } from '@fw/node-middleware'
import session from 'express-session'
import helmet from 'helmet'
import multer from 'multer'

declare module 'express-session' {
  interface SessionData {
    uploads: string[]
  }
}

const upload = multer({ limits: { fileSize: 1024 * 1024 } })

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()
router.use(fromNode(helmet()))
// Sessions in memory are lost when the server restarts. Pass `store` in production.
router.use(fromNode(session({ secret: 'change me', resave: false, saveUninitialized: false })))
router.onError((error) => {
  if (error instanceof multer.MulterError) throw new HttpError(413, error.message)
})

router.get('/', (ctx) => {
  const { uploads = [] } = nodeRequest(ctx).session
  return ctx.html(`<!doctype html><title>Uploads</title>
<form method="post" enctype="multipart/form-data"><input type="file" name="file"> <button>Upload</button></form>
<p>${uploads.length} uploaded in this session`)
})

router.post('/', { use: fromNode(upload.single('file')) }, (ctx) => {
  const { file, session: data } = nodeRequest(ctx)
  if (file === undefined) throw new HttpError(400, 'The form has no file')
  data.uploads = [...(data.uploads ?? []), file.originalname]
  return ctx.redirect('/', 303)
})

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
