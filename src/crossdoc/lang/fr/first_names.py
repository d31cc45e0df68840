"""French: common first names without accents, and the share of women among their bearers, set by hand."""

MEN = """
abdel abel achille adam adolphe adrien agathon aime alain alban albert albin alexandre alexis alfred alphonse amadou
amaury ambroise amedee anatole andre ange anselme antoine antonin aristide armand armel arnaud arsene arthur aubin
auguste augustin aurelien axel aymeric barnabe barthelemy basile bastien baptiste baudouin benjamin benoit bernard
bertin bertrand blaise boris brice bruno calixte camil casimir cedric celestin cesar charles charly christian christophe
clement clovis colin come constant constantin corentin cyprien cyril cyrille damien daniel dany david denis desire
didier dieudonne dimitri donatien dorian edgar edgard edmond edouard elie eloi emeric emile emilien emmanuel enguerrand
enzo eric ernest erwan esteban etienne eudes eugene evariste evrard fabien fabrice faustin felicien felix ferdinand
fernand fiacre fidele firmin flavien florent florentin florian francis franck francois frederic fulbert gabin gabriel
gael gaetan gaspard gaston gatien gauthier gautier gedeon geoffrey geoffroy georges gerald gerard germain germinal
ghislain gilbert gildas gilles gonzague goulven gregoire gregory guenole guilhem guillaume gustave guy gwenael hadrien
hector helier henri herbert hercule herve hilaire hippolyte honore horace hubert hugo hugues humbert hyacinthe ignace
igor isidore ismael ivan jacky jacques jean jeannot jerome joachim joel johan johann jonas jonathan jordan joris jose
joseph josselin jules julien juste justin karim kevin kylian lambert laurent lazare leandre leo leon leonard leonce
leopold lilian lionel loic lorenzo loris louis luc luca lucas lucien ludovic mael malo manuel marc marceau marcel
marcellin marien marin marius martial martin matheo mathias mathieu mathis matthias matthieu maurice max maxence maxime
maximilien medard mehdi melchior michel mickael milan modeste mohamed mohammed napoleon narcisse nathan nathanael
nazaire nestor nicolas noe noel norbert octave odilon olivier onesime oscar osmond ozanne pacome pascal patrice patrick
paul paulin perceval philibert philippe pierre pierrick pierrot placide polycarpe prosper quentin rachid raoul raphael
raymond regis remi remy renaud rene reynald richard robert robin roch rodolphe rodrigue roger roland romain romaric
romeo romuald ronan ruben sacha salomon salvador samson samuel samy sebastien serge severin simon sixte stanislas
stephane steven sylvain sylvere sylvestre tancrede tanguy teddy theo theodore theophile thibaud thibault thibaut
thierry thomas timothee titouan tobie toussaint tristan tugdual ulysse urbain valentin valere valery victor victorien
vincent virgile vivien vladimir wilfrid willy xavier yann yannick yannis yoann yohan yvan yves yvon zacharie
""".split()
WOMEN = """
adelaide adele adeline adrienne agathe aglae agnes aicha aimee alberte alexandra alexandrine alexia alice alicia aline
alix alizee alphonsine amandine amelie amina anais anastasie andrea andree angele angelina angeline angelique
anna annabelle anne annette annick annie antoinette antonine apolline ariane arielle arlette armande armelle astrid
athenais aude audrey augustine aurelie aurore axelle barbara bathilde beatrice benedicte berenice bernadette berthe
bertille blanche blandine bluette brigitte capucine carine carmen carole caroline catherine cecile celeste celestine
celia celine chantal charlene charlotte chloe christel christelle christiane christine claire clara clarisse claudette
claudie claudine clea clelia clemence clementine cleo clotilde colette coline constance coralie corinne cornelie
cosette cunegonde cyrielle danielle daphne debora deborah delphine denise desiree diane dorothee edith edmee edwige
elea eleonore eliane elina elisa elisabeth elise ella elodie eloise elsa elvire emeline emeraude emilie emilienne emma
emmanuelle enora ernestine estelle esther eugenie eulalie euphrasie eva evangeline eve evelyne fabienne fanchon fanny
fantine fatima fatou faustine felicie felicite fernande flavie fleur flora flore florence florentine florine fortunee
france francine francoise frederique gabrielle gaelle genevieve georgette georgina geraldine germaine ghislaine gilberte
gisele ginette gwenaelle gwendoline hedwige helene heloise henriette hermance hermine honorine hortense huguette ida
ines ingrid irene irma isabeau isabelle iseult jacinthe jacqueline jeanne jeannette jeannine jenny jessica joelle
johanna josephine josette josiane josyane judith julia juliane julie julienne juliette justine karine katia laetitia
laura laure laurence laurene laurette laurie lea leila lena leonie leonore leontine leopoldine liliane lina line lisa
lise lisette loane lola lou louane louise louisette louna luce lucette lucie lucienne lucile lucille lucrece ludivine
lydia lydie madeleine madelon maelle maelys mahaut maite manon marceline marcelle margaux margot marguerite maria
marianne marie mariette marina marine marinette marion marise marjolaine marjorie marlene marthe martine maryline
maryse maryvonne mathilde maud maude melanie melina melinda melissa melodie mercedes micheline michele michelle
mireille morgane muguette muriel myriam nadege nadia nadine natacha nathalie nelly nicole nina ninon noelie noelle
noemie nolwenn oceane octavie odette odile olga olympe ondine oriane ornella orlane ottilie palmyre pascale patricia
paule paulette pauline perrette perrine petronille philippine philomene pierrette prudence rachel raphaelle raymonde
rebecca regine reine rejane renee rita roberte rolande romane rosa rosalie rose roseline rosemonde rosine roxane sabine
sabrina salome samia sandra sandrine sara sarah segolene selma servane severine sibylle sidonie simone sixtine solange
soline sonia sophie stella stephanie suzanne suzette suzon sylvaine sylvette sylviane sylvie tania tatiana thais thelma
therese thomasine tiphaine valentine valerie vanessa veronique victoire victoria victorine vinciane violaine violette
virginie viviane xaviere yasmine yolaine yolande ysaline yseult yvette yvonne zelie zoe
""".split()

FIRST_NAMES = {
    **dict.fromkeys(MEN, 0.0),
    **dict.fromkeys(WOMEN, 1.0),
    **{"camille": 0.7, "charlie": 0.3, "claude": 0.1, "dominique": 0.4, "eden": 0.4, "jocelyn": 0.05},
    **{"mae": 0.7, "morgan": 0.1, "sacha": 0.1, "sasha": 0.3, "alix": 0.7, "andrea": 0.8, "celeste": 0.9},
}
"""Where a name is not listed here, the share among its bearers in the United States counts."""
