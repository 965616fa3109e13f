import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconArrowLeft, IconBolt, IconSend } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { createFunnel, emptyGraph } from "@/api/funnels";
import { createFromTemplate, deleteTemplate, type Template, templatesQuery } from "@/api/templates";
import type { CatalogueData } from "@/canvas/types";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Failure } from "@/ui/Failure";
import { editorOf } from "@/ui/links";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import classes from "./gallery.module.css";
import { TemplateCard } from "./TemplateCard";
import { TemplatePreview } from "./TemplatePreview";
import { useDecided } from "./useDecided";

interface GalleryProps {
  data: CatalogueData;
  /** Slug of the template that is looked at. */
  shown?: string | undefined;
  onShow: (slug?: string) => void;
}

/** The way in: because of what a person did, or because you decided; drawn by hand or begun from a template. */
export function Gallery({ data, shown, onShow }: GalleryProps) {
  const { t } = useLingui();
  const templates = useQuery(templatesQuery());
  const blank = useBlankFunnel();
  const decided = useDecided();
  const use = useTemplate();
  const client = useQueryClient();
  const toast = useToast();
  const remove = async (slug: string) => {
    try {
      await deleteTemplate(slug);
      onShow(undefined);
      await client.invalidateQueries({ queryKey: ["templates"] });
    } catch (error) {
      toast.failed(error);
    }
  };
  const looked = templates.data?.find((template) => template.slug === shown);
  return (
    <>
      <PageHeader
        title={t`What should start it?`}
        back={
          <Link to="/funnels" className={classes.back} aria-label={t`Back to the funnels`}>
            <IconArrowLeft size={17} stroke={1.75} aria-hidden />
          </Link>
        }
      />
      <PageBody>
        <div className={classes.ways}>
          <section className={classes.way} data-family="trigger">
            <span className={classes.sign}>
              <IconBolt size={18} stroke={1.75} aria-hidden />
            </span>
            <h2>{t`Because of what a person did`}</h2>
            <p>{t`They sign up, buy, book or go quiet. The funnel starts for each of them by itself and goes on for days.`}</p>
            <Button variant="filled" loading={blank.isPending} onClick={() => blank.mutate()}>
              {t`Draw a funnel`}
            </Button>
          </section>
          <section className={classes.way} data-family="message">
            <span className={classes.sign}>
              <IconSend size={18} stroke={1.75} aria-hidden />
            </span>
            <h2>{t`Because you decided`}</h2>
            <p>{decided.text}</p>
            <Button loading={decided.busy} onClick={decided.go}>
              {decided.label}
            </Button>
          </section>
        </div>
        <h2 className={classes.heading} id="templates">{t`Or start from a template`}</h2>
        {templates.error ? (
          <Failure error={templates.error} reset={() => templates.refetch()} compact />
        ) : templates.isPending ? (
          <RowSkeletons rows={4} />
        ) : (
          <ul className={classes.grid} aria-labelledby="templates">
            {templates.data.map((template) => (
              <li key={template.slug}>
                <TemplateCard template={template} data={data} onOpen={() => onShow(template.slug)} />
              </li>
            ))}
          </ul>
        )}
      </PageBody>
      {looked && (
        <TemplatePreview
          template={looked}
          data={data}
          busy={use.isPending}
          onUse={() => use.mutate(looked)}
          onDelete={() => remove(looked.slug)}
          onClose={() => onShow(undefined)}
        />
      )}
    </>
  );
}

/** Makes a funnel with an empty start and opens it. */
function useBlankFunnel() {
  const { t } = useLingui();
  return useOpenMade(() => createFunnel({ name: t`New funnel`, graph: emptyGraph }));
}

function useTemplate() {
  return useOpenMade((template: Template) => createFromTemplate(template));
}

function useOpenMade<Of = void>(make: (of: Of) => ReturnType<typeof createFunnel>) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  return useMutation({
    mutationFn: make,
    onSuccess: (made) => {
      client.invalidateQueries({ queryKey: ["funnels"] });
      return navigate(editorOf(made.funnel.id));
    },
    onError: (error) => toast.failed(error),
  });
}
