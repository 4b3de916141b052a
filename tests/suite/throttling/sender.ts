/** One of several processes that share a key: sends `argv[4]` requests to `argv[2]`, paced by the folder `argv[3]`. */
import { judge } from '../../../fixtures/expect/judge.ts';
import { Client } from '../../../fixtures/target/client.ts';
import { Store } from '../../../fixtures/target/store.ts';

const [baseUrl = '', directory = '', count = '0'] = process.argv.slice(2);
const client = new Client({
  baseUrl,
  apiKey: 'shared-key',
  throttleApiKey: 'shared-key',
  maxWait: 30,
  directory,
  judge,
  alone: false,
  say: () => {},
});
const store = new Store(client);
for (let sent = 0; sent < Number(count); sent += 1) await store.list({ limit: 1 }, { fresh: true });
await client.close();
