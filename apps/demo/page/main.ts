import type { RequestMessage, WelcomeMessage } from '../src/live/messages.ts'
import { byId, post, setText } from './dom.ts'
import { follow } from './feed.ts'
import { eachFrame, isStill } from './motion.ts'
import { Break } from './panels/break.ts'
import { Flow } from './panels/flow.ts'
import { Header } from './panels/header.ts'
import { Keys } from './panels/keys.ts'
import { Life } from './panels/life.ts'
import { Numbers } from './panels/numbers.ts'
import { Race } from './panels/race.ts'
import { Requests } from './panels/requests.ts'
import { Restart } from './panels/restart.ts'
import { Tabs } from './panels/tabs.ts'
import { Theme } from './panels/theme.ts'
import { RequestList } from './request-list.ts'

/** Milliseconds between two redraws of the list. Faster changes would be unreadable. */
const LIST_MS = 250

/** Number of requests kept during a pause: as many as the list shows. */
const MAX_HELD = 200

const list = new RequestList()
const header = new Header()
const numbers = new Numbers()
const flow = new Flow()
const life = new Life()
const race = new Race()
const faults = new Break()
const restart = new Restart()
const requests = new Requests(list, (request) => select(request))

const redraw = (): void => {
  flow.resize()
  if (isStill()) flow.draw(0)
  numbers.draw()
  race.paint()
  restart.draw()
  life.place()
}
const theme = new Theme(redraw)
const tabs = new Tabs(redraw)

let isPaused = false
let isLost = true
/** Requests that arrived during a pause. */
let held: RequestMessage[] = []
/** The request that the page shows as soon as the feed delivers it. Initially, it is the request that loaded the page. */
let awaited = header.requestId

function select(request: RequestMessage, plays = true): void {
  awaited = undefined
  life.show(request, plays)
  requests.mark(request)
  if (tabs.isPhone && plays) tabs.show('life')
}

/** Keeps requests that arrive during a pause. */
function hold(messages: readonly RequestMessage[]): void {
  held = [...held, ...messages].slice(-MAX_HELD)
}

function receive(messages: readonly RequestMessage[]): void {
  for (const request of list.add(messages)) {
    if (list.isOwn(request)) {
      flow.ring(request)
      faults.own(request)
    }
  }
  const wanted = awaited === undefined ? undefined : list.find(awaited)
  if (wanted !== undefined) select(wanted, !tabs.isPhone)
  requests.changed()
}

function welcome(message: WelcomeMessage): void {
  isLost = false
  list.visitor = message.visitor
  const { traffic, race: hasRace, break: hasBreak, restart: hasRestart } = message.offers
  header.welcome(message)
  showState()
  numbers.welcome(message.history)
  life.welcome(message.sources)
  flow.welcome(message)
  flow.traffic(message.traffic, traffic)
  requests.traffic(message.traffic)
  race.offer(hasRace)
  faults.offer(hasBreak)
  restart.offer(hasRestart)
  restart.welcome(message.fleetHistory)
  if (message.fleet !== undefined) restart.update(message.fleet)
  for (const result of message.races) race.take(result)
  receive(message.requests)
  if (life.request === undefined) showAny()
}

/** Shows the visitor's newest request, or any other, if the request that delivered the page is unknown. */
function showAny(): void {
  const request = list.shown.find((each) => list.isOwn(each)) ?? list.shown[0]
  if (request === undefined) return
  const still = awaited
  select(request, false)
  awaited = still
}

function showState(): void {
  header.state(isLost ? 'restarting, nothing lost' : isPaused ? 'paused' : 'live')
}

function pause(): void {
  isPaused = !isPaused
  setText(byId('pause').firstElementChild, isPaused ? 'Resume' : 'Pause')
  showState()
  receive(held.splice(0))
}

async function hello(): Promise<void> {
  const response = await fetch('/api/hello/you')
  const id = /desc="([^"]+)"/.exec(response.headers.get('server-timing') ?? '')?.[1]
  await response.text()
  const known = id === undefined ? undefined : list.find(id)
  if (known !== undefined) select(known)
  else awaited = id
}

byId('help').addEventListener('click', () => keys.open())
byId('pause').addEventListener('click', pause)
byId('hello').addEventListener('click', () => void hello().catch(() => {}))
byId('traffic').addEventListener('click', ({ target }) => {
  const level = target instanceof HTMLButtonElement ? target.dataset['level'] : undefined
  if (level !== undefined) post(`/api/live/traffic/${level}`).catch(() => {})
})
const keys = new Keys([
  { key: 'h', label: 'H', text: 'Say hello', act: () => void hello().catch(() => {}) },
  { key: ' ', label: 'Space', text: 'Pause and resume', act: pause },
  { key: 'j', label: 'J', text: 'Next request', act: () => requests.move(1) },
  { key: 'k', label: 'K', text: 'Previous request', act: () => requests.move(-1) },
  { key: 'r', label: 'R', text: 'Replay the request', act: () => life.replay() },
  { key: '/', label: '/', text: 'Filter', act: () => byId('filter').focus() },
  { key: '1', label: '1', text: 'Race', act: () => void race.run() },
  { key: '2', label: '2', text: 'Break it', act: () => faults.focus() },
  { key: '3', label: '3', text: 'Restart', act: () => void restart.run() },
  { key: 't', label: 'T', text: 'Light or dark', act: () => theme.toggle() },
])

follow({
  welcome,
  counts: (message) => isPaused || flow.counts(message),
  second(message) {
    if (isPaused) return
    numbers.second(message)
    flow.second(message)
    if (isStill()) flow.draw(0)
  },
  requests: (messages) => (isPaused ? hold(messages) : receive(messages)),
  traffic({ level }) {
    flow.traffic(level, true)
    requests.traffic(level)
  },
  fleet: (message) => isPaused || restart.update(message),
  race: (result) => race.take(result),
  lost() {
    isLost = true
    showState()
  },
})
setInterval(() => requests.update(), LIST_MS)
requests.draw()
redraw()
eachFrame((seconds) => {
  life.draw(seconds)
  race.draw(seconds)
  if (!isPaused && !isStill()) flow.draw(seconds)
})
addEventListener('resize', redraw)
void document.fonts.ready.then(redraw)
