import type { AppIntegrations, OpenIntegration } from '@belfry/database';
import type { Request, RequestHandler, Response } from 'express';
import {
  type IntegrationDetail,
  type IntegrationList,
  type IntegrationTested,
  integrationChangeBody,
  newIntegrationBody,
  type RemovalDetails,
} from '../api-types/integrations';
import type { Done } from '../api-types/session';
import { actorOf, appOf } from '../call';
import { detailOf, infoOf } from '../integrations/integration-info';
import type { ProviderForms } from '../integrations/provider-forms';
import type { TestIntegration } from '../integrations/test-integration';
import { createBodyReader } from '../read-body';
import { Refusal } from '../refusal';

export type IntegrationRoutesDeps = {
  integrations: AppIntegrations;
  forms: ProviderForms;
  testIntegration: TestIntegration;
  receiptUrlOf(integrationId: string): string;
};

type OfIntegration = { integration_id: string };
type Handler = RequestHandler<OfIntegration>;

type IntegrationRoutes = {
  providers: RequestHandler;
  list: RequestHandler;
  read: Handler;
  create: RequestHandler;
  change: Handler;
  test: Handler;
  pause: Handler;
  resume: Handler;
  remove: Handler;
};

export function createIntegrationRoutes(deps: IntegrationRoutesDeps): IntegrationRoutes {
  const { integrations, forms } = deps;
  const readNew = createBodyReader(newIntegrationBody);
  const readChange = createBodyReader(integrationChangeBody);
  const { find, describe } = createFinders(deps);

  const providers: RequestHandler = (_req, res) => {
    res.json(forms.list());
  };

  const list: RequestHandler = async (_req, res) => {
    const appId = appOf(res).id;
    const [rows, uses] = await Promise.all([
      integrations.listIntegrations(appId),
      integrations.listUses(appId),
    ]);
    const answer: IntegrationList = { integrations: rows.map((row) => infoOf(row, uses)) };
    res.json(answer);
  };

  const read: Handler = async (req, res) => {
    res.json(await describe(res, req.params.integration_id));
  };

  const create: RequestHandler = async (req, res) => {
    const { name, channel, provider, ...given } = readNew(req);
    const checked = forms.check({ channel, provider }, given);
    const appId = appOf(res).id;
    const id = await integrations.addIntegration(actorOf(res), {
      appId,
      name,
      channel,
      provider,
      ...checked,
    });
    if (id === undefined) throw nameTaken(name);
    res.json(await describe(res, id));
  };

  const change: Handler = async (req, res) => {
    const { name, settings, credentials } = readChange(req);
    const known = await find(req, res);
    const checked = forms.check(known, {
      settings,
      credentials: { ...known.credentials, ...credentials },
    });
    const place = { appId: appOf(res).id, id: known.id };
    const id = await integrations.changeIntegration(actorOf(res), place, { name, ...checked });
    if (id === undefined) throw nameTaken(name);
    res.json(await describe(res, id));
  };

  return { providers, list, read, create, change, ...createStateRoutes(deps) };
}

/** What changes an integration's state, or takes it away. */
function createStateRoutes(deps: IntegrationRoutesDeps) {
  const { integrations, testIntegration } = deps;
  const { find, describe } = createFinders(deps);

  const test: Handler = async (req, res) => {
    const integration = await find(req, res);
    const tested = await testIntegration(integration);
    const place = { appId: appOf(res).id, id: integration.id };
    const state = await integrations.noteTest(actorOf(res), place, tested.isWorking);
    const answer: IntegrationTested = { ...tested, state: state ?? integration.state };
    res.json(answer);
  };

  const pause: Handler = async (req, res) => {
    const { id } = await find(req, res);
    await integrations.pauseIntegration(actorOf(res), { appId: appOf(res).id, id });
    res.json(await describe(res, id));
  };

  const resume: Handler = async (req, res) => {
    const { id } = await find(req, res);
    await integrations.resumeIntegration(actorOf(res), { appId: appOf(res).id, id });
    res.json(await describe(res, id));
  };

  const remove: Handler = async (req, res) => {
    const { id, name } = await find(req, res);
    const { usedBy } = await describe(res, id);
    const breaks = usedBy.filter(({ where, isOnly }) => where === 'live' && isOnly);
    if (breaks.length > 0 && req.query['breaks'] !== 'accepted') {
      const details: RemovalDetails = { breaks };
      const text = `without ${name} these channels of live events send nothing`;
      throw new Refusal('integration_in_use', text, { details });
    }
    await integrations.removeIntegration(actorOf(res), { appId: appOf(res).id, id });
    const answer: Done = { success: true };
    res.json(answer);
  };

  return { test, pause, resume, remove };
}

function createFinders({ integrations, forms, receiptUrlOf }: IntegrationRoutesDeps) {
  async function open(res: Response, id: string): Promise<OpenIntegration> {
    const found = await integrations.findOpenIntegration({ appId: appOf(res).id, id });
    if (!found) throw new Refusal('integration_not_found', 'integration not found');
    return found;
  }

  return {
    find: (req: Request<OfIntegration>, res: Response) => open(res, req.params.integration_id),
    async describe(res: Response, id: string): Promise<IntegrationDetail> {
      const integration = await open(res, id);
      const uses = await integrations.listUses(appOf(res).id);
      return detailOf(integration, uses, forms.hasReceipts(integration) ? receiptUrlOf(id) : null);
    },
  };
}

function nameTaken(name: string): Refusal {
  return new Refusal('name_taken', `another integration of the app is called ${name}`);
}
