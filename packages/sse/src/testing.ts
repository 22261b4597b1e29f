import '@fw/options' // checks the Node.js version
export { EventClient, type Fetcher } from './testing/event-client.ts'
export { EventReader, parseEvents, type ReceivedEvent } from './testing/event-reader.ts'
