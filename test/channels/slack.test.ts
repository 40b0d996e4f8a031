import { describePlatform } from "../support/channels/kit.ts";
import { slackFixture } from "../support/channels/slack/slack-fixture.ts";

describePlatform(slackFixture);
