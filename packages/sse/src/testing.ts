import '@fw/options' // checks the version of Node.js
export { EventClient, type Fetcher } from './testing/event-client.ts'
export { EventReader, parseEvents, type ReceivedEvent } from './testing/event-reader.ts'
