import { useQuery } from "@tanstack/react-query";
import { campaignQuery } from "@/api/campaigns";
import type { CatalogueData } from "@/canvas/types";
import { DraftPage } from "./DraftPage";
import type { Part } from "./parts";
import { SendingPage } from "./SendingPage";

interface CampaignPageProps {
  id: string;
  data: CatalogueData;
  part: Part;
  onPart: (part: Part) => void;
}

/** A campaign: being written, or under way and after. */
export function CampaignPage({ id, data, part, onPart }: CampaignPageProps) {
  const { data: detail } = useQuery(campaignQuery(id));
  if (!detail) return null;
  return detail.campaign.state === "draft" ? (
    <DraftPage detail={detail} data={data} part={part} onPart={onPart} />
  ) : (
    <SendingPage detail={detail} />
  );
}
