import { accessLog } from '@fw/access-log'
import { HttpError, Server } from '@fw/core'
import * as z from 'zod'

const Id = z.object({ id: z.coerce.number().int().positive() })
const NewTodo = z.object({ title: z.string().trim().min(1).max(200) })
const Change = NewTodo.extend({ done: z.boolean() }).partial()

interface Todo {
  readonly id: number
  readonly title: string
  readonly done: boolean
}

/** The list is lost when the process exits. Use a database instead. */
const todos = new Map<number, Todo>()
let lastId = 0

/** The option `shutdown` lets in-flight requests finish after Ctrl-C. */
export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()
router.use(accessLog({ skipPaths: ['/healthz'] }))

router.get('/', (ctx) => ctx.redirect('/todos'))
router.get('/healthz', () => 'ok')

router.get('/todos', () => [...todos.values()])
router.post('/todos', { body: NewTodo }, (ctx) => {
  lastId += 1
  const todo = { id: lastId, title: ctx.valid.body.title, done: false }
  todos.set(todo.id, todo)
  ctx.responseHeaders.set('location', `/todos/${todo.id}`)
  return ctx.json(todo, { status: 201 })
})
router.get('/todos/:id', { params: Id }, (ctx) => find(ctx.valid.params.id))
router.patch('/todos/:id', { params: Id, body: Change }, (ctx) => {
  const { title, done } = ctx.valid.body
  const todo = find(ctx.valid.params.id)
  const changed = { id: todo.id, title: title ?? todo.title, done: done ?? todo.done }
  todos.set(changed.id, changed)
  return changed
})
router.delete('/todos/:id', { params: Id }, (ctx) => {
  todos.delete(find(ctx.valid.params.id).id)
  return ctx.empty(204)
})

/** @throws {HttpError} 404 */
function find(id: number): Todo {
  const todo = todos.get(id)
  if (todo === undefined) throw new HttpError(404, `Todo ${id} does not exist`)
  return todo
}
