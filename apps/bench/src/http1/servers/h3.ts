import { H3, serve } from 'h3'
import { otherPatterns, ready, serverSetup } from '../../server-program.ts'

const app = new H3()
for (const pattern of otherPatterns(serverSetup())) app.get(pattern, () => 'another')
app.get('/', (event) => {
  event.res.headers.set('content-type', 'text/plain; charset=utf-8')
  return 'hello world'
})
app.get('/users/:id', (event) => ({ id: event.context.params?.id, name: 'Ada' }))
app.post('/echo', (event) => event.req.json())
const server = await serve(app, { port: 0, hostname: '127.0.0.1', silent: true }).ready()
ready(Number(new URL(server.url ?? '').port))
